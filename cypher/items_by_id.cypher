// kind: read
// The items with the given ids, as far as they are there.
// parameter ids: item ids
// column item: the properties of the node
UNWIND $ids AS id
MATCH (item:Item {id: id})
RETURN properties(item) AS item
