// kind: read
// Raw questions of samples that have a graph, by whether their answer is a noun (Pos_T1) or not (Pos_F).
// column noun: true or false
// column count: how many
MATCH (question:Question {run: 'raw'})
WHERE NOT question.status IN ['loaded', 'revised']
RETURN question.noun AS noun, count(*) AS count
