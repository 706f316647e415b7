// kind: read
// Which pictures and statements samples were made of.
// parameter samples: sample ids
// column sample: the sample's id
// column picture: the picture's id
// column origin: the properties of the edge
UNWIND $samples AS sample
MATCH (:Sample {id: sample})-[origin:FROM]->(picture:Picture)
RETURN sample, picture.id AS picture, properties(origin) AS origin
