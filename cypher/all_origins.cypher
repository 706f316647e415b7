// kind: read
// Which pictures and statements the samples were made of, of all that are made of any.
// column sample: the sample's id
// column picture: the picture's id
// column origin: the properties of the edge
MATCH (sample:Sample)-[origin:FROM]->(picture:Picture)
RETURN sample.id AS sample, picture.id AS picture, properties(origin) AS origin
