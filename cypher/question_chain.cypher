// kind: query
// about: paths
// example: id=demo/demo/107438-country@demo-0/2
// The chain of questions from the benchmark's own question to a given question.
// parameter id: the question's id
// column hop: the hop
// column kind: raw, reselected or explored
// column id: the question's id
// column question: its text
// column answer: its answer
MATCH (question:Question {id: $id})-[:EVOLVED_FROM*0..100]->(before:Question)
RETURN before.hop AS hop, before.kind AS kind, before.id AS id, before.text AS question, before.answer AS answer
ORDER BY hop, kind DESC, id
