// kind: read
// Things in pictures whose graphs a version made that did not record their kinds.
// parameter samples: sample ids
// column id: the entity's id
// column term: its name, folded
// column noun: whether it is a thing
UNWIND $samples AS sample
MATCH (entity:Entity {sample: sample})
WHERE entity.kind IS NULL
RETURN entity.id AS id, entity.term AS term, entity.noun AS noun
