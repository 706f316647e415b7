// kind: query
// about: entities
// reads: every identity
// What a model recognised in pictures and a second look did not confirm, or the model itself doubted.
// parameter limit = 25: maximum number of rows
// column sample: the sample
// column thing: the thing
// column relation: the relation
// column name: the name that the first look gave
// column again: the name that the second look gave
// column sure: how sure the model is, from 0 to 1
// column reason: why it was refused
MATCH (identity:Identity)
WHERE identity.reason <> ''
RETURN identity.sample AS sample, identity.subject AS thing, identity.relation AS relation, identity.object AS name,
  identity.again AS again, identity.sure AS sure, identity.reason AS reason
ORDER BY sample, name
LIMIT $limit
