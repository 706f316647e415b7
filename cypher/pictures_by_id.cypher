// kind: read
// The pictures with the given ids, as far as they are there.
// parameter ids: picture ids
// column picture: the properties of the node
UNWIND $ids AS id
MATCH (picture:Picture {id: id})
RETURN properties(picture) AS picture
