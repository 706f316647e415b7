// kind: query
// about: paths
// example: entity=man other=white
// Paths of two triplets between two entities, through a third entity that two samples share, one triplet from each
// sample.
// parameter entity: the name of the first entity, case-insensitive
// parameter other: the name of the last entity, case-insensitive
// parameter limit = 25: maximum number of rows
// column relation: the relation from the first entity
// column via: the folded name of the entity between
// column next: the relation to the last entity
// column samples: how many samples have the first triplet
// column other_samples: how many samples have the second one
MATCH (term:Term {name: toLower($entity)})<-[:IS]-(start:Entity)-[first:VISUAL|TEXTUAL]->(middle:Entity)
WITH first.relation AS relation, middle.term AS via, count(DISTINCT first.sample) AS samples
WITH collect({relation: relation, via: via, samples: samples}) AS beginnings
MATCH (term:Term {name: toLower($other)})<-[:IS]-(end:Entity)<-[second:VISUAL|TEXTUAL]-(middle:Entity)
WITH beginnings, middle.term AS via, second.relation AS next, count(DISTINCT second.sample) AS other_samples
UNWIND [beginning IN beginnings WHERE beginning.via = via] AS beginning
RETURN beginning.relation AS relation, via, next, beginning.samples AS samples, other_samples
ORDER BY samples DESC, other_samples DESC, relation, via, next
LIMIT $limit
