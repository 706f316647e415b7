// kind: read
// Every edge, for a backup.
// column type: its type
// column subject: the id or name of the node it leaves
// column object: the id or name of the node it enters
// column properties: its properties
MATCH (subject)-[edge]->(object)
RETURN type(edge) AS type, coalesce(subject.id, subject.name) AS subject, coalesce(object.id, object.name) AS object,
  properties(edge) AS properties
