// kind: read
// Samples of some of the graphs that contain an entity.
// parameter entity: the entity's name
// parameter graphs: of how many graphs at most
// column sample: the sample's id
MATCH (term:Term {name: $entity})<-[:IS]-(entity:Entity)
WITH entity LIMIT $graphs
RETURN DISTINCT entity.sample AS sample
