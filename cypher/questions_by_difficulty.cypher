// kind: query
// about: the benchmark
// reads: every question
// Kept questions by number of key edges, the paper's measure of difficulty.
// column benchmark: the benchmark
// column run: the run, raw for the benchmark's own questions
// column hop: the hop
// column edges: the number of key edges
// column questions: how many
MATCH (question:Question {status: 'kept'})
RETURN split(question.sample, '/')[0] AS benchmark, question.run AS run, question.hop AS hop,
  question.difficulty AS edges, count(*) AS questions
ORDER BY benchmark, run, hop, edges
