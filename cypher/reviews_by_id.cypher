// kind: read
// The decisions with the given ids, as far as they are there.
// parameter ids: review ids
// column review: the properties of the node
UNWIND $ids AS id
MATCH (review:Review {id: id})
RETURN properties(review) AS review
