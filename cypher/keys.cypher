// kind: read
// The key edges of the questions of samples.
// parameter samples: sample ids
// parameter run: a run's name, or null for all
// parameter hop: a hop, or null for all
// column key: the properties of the edge
// column subject: the subject's id
// column subject_values: name, number, noun and concept of the subject
// column object: the object's id
// column number: the object's number
UNWIND $samples AS sample
MATCH (subject:Entity {sample: sample})-[key:KEY]->(object:Entity)
WHERE ($run IS NULL OR key.run = $run) AND ($hop IS NULL OR key.hop = $hop)
RETURN properties(key) AS key, subject.id AS subject,
  [subject.name, subject.number, subject.noun, subject.concept] AS subject_values,
  object.id AS object, object.number AS number
