// kind: read
// Every edge, for a backup.
// column type: its type; what a picture or an item is linked by can lead to several labels, which stand behind it
// column subject: the id or name of the node it leaves
// column object: the id or name of the node it enters
// column properties: its properties
MATCH (subject)-[edge]->(object)
RETURN type(edge) + CASE WHEN subject:Picture OR subject:Item THEN ' ' + labels(object)[0] ELSE '' END AS type,
  coalesce(subject.id, subject.name) AS subject, coalesce(object.id, object.name) AS object,
  properties(edge) AS properties
