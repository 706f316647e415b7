// kind: query
// about: paths
// example: id=demo/demo/107438-country@demo-0/2
// The answer set of a question that joins triplets: everything in the sample's graph and in the facts stated with it that
// fits the key subgraph, with all of its edges and with each edge left out. A question has one answer if only its own
// fits all edges, and an edge is needed if, without it, another answer fits too or none is told.
// The key is a tree whose branches may meet again. So the things that fit each place of it are narrowed along its edges:
// forwards from IMAGE, backwards, and forwards once more. Without an edge, whatever hung on it alone falls away.
// Where the question compares, the answer is the thing whose number is first by a tenth (years: by ten).
// parameter id: the question's id, or that of a draft
// column left_out: the edge that is left out, by its place in the key; -1 in the row with all edges
// column edge: the edge, "none" in the row with all edges
// column answers: the ids of the entities that fit, the names after the last "|"; empty where nothing that is known fits
MATCH (draft:Draft {question: $id})
MATCH (image:Entity {sample: draft.sample, term: 'image'})
MATCH (subject:Entity {sample: draft.sample})
WITH draft, image, collect(subject) AS subjects
UNWIND subjects AS subject
MATCH (subject)-[own:DRAFT]->(object:Entity)
WHERE own.draft = draft.id AND NOT own.rival
WITH draft, image, subjects, own, subject, object ORDER BY own.position
WITH draft, image.id AS image, subjects, collect(
  [subject.id, own.relation, object.id, own.word, own.seen, own.number, own.position, subject.name, object.name]) AS key
UNWIND subjects AS subject
MATCH (subject)-[edge:VISUAL|TEXTUAL|DRAFT]->(object:Entity)
WHERE (type(edge) = 'DRAFT' AND edge.draft = draft.id) OR (type(edge) <> 'DRAFT' AND edge.hop = 0)
WITH draft, image, key, collect([subject.id, edge.relation, object.id, object.term]) AS world
UNWIND range(-1, size(key) - 1) AS left_out
WITH draft, image, key, world, left_out,
  CASE WHEN left_out < 0 THEN -1 ELSE key[left_out][6] END AS away
WITH draft, image, key, world, left_out,
  reduce(state = [[image], []], k IN key | CASE WHEN k[6] <> away AND k[0] IN state[0]
    THEN [state[0] + [k[2]], state[1] + [k]] ELSE state END)[1] AS asked
WITH draft, key, world, left_out, asked,
  reduce(fits = [[image, image]], k IN asked | CASE WHEN any(f IN fits WHERE f[0] = k[2])
    THEN [f IN fits WHERE f[0] <> k[2] OR any(w IN world WHERE w[1] = k[1] AND w[2] = f[1] AND [k[0], w[0]] IN fits)]
    ELSE fits + [w IN world WHERE w[1] = k[1] AND [k[0], w[0]] IN fits
      AND (k[3] = '' OR w[3] = k[3] OR w[3] ENDS WITH ' ' + k[3]) | [k[2], w[2]]] END) AS fits
WITH draft, key, world, left_out, asked,
  reduce(fits = fits, k IN reverse(asked) |
    [f IN fits WHERE f[0] <> k[0] OR any(w IN world WHERE w[1] = k[1] AND w[0] = f[1] AND [k[2], w[2]] IN fits)]) AS fits
WITH draft, key, left_out, asked,
  reduce(fits = fits, k IN asked |
    [f IN fits WHERE f[0] <> k[2] OR any(w IN world WHERE w[1] = k[1] AND w[2] = f[1] AND [k[0], w[0]] IN fits)]) AS fits
WITH draft, key, left_out, fits,
  reduce(owners = [], k IN asked | CASE WHEN k[4] THEN owners + [[k[2], k[2], null]]
    ELSE owners + [o IN owners WHERE o[0] = k[0] | [k[2], o[1], k[5]]] END) AS owners,
  [k IN key WHERE k[5] IS NOT NULL | k[6]] AS numbered
WITH draft, key, left_out, fits, [o IN owners WHERE o[2] IS NOT NULL | [o[2], o[1]]] AS numbers, size(numbered) AS wanted
WITH draft, key, left_out, CASE
  WHEN draft.compares = '' THEN [f IN fits WHERE f[0] = draft.end | f[1]]
  WHEN size(numbers) < wanted THEN []
  ELSE [n IN numbers WHERE all(m IN numbers WHERE m[1] = n[1] OR CASE draft.compares
    WHEN 'most' THEN n[0] - m[0] >= CASE WHEN draft.years THEN 10 ELSE abs(n[0]) / 10.0 END
    ELSE m[0] - n[0] >= CASE WHEN draft.years THEN 10 ELSE abs(m[0]) / 10.0 END END) | n[1]] END AS answers
UNWIND CASE WHEN size(answers) = 0 THEN [null] ELSE answers END AS answer
WITH key, left_out, answer ORDER BY answer
WITH key, left_out, collect(DISTINCT answer) AS answers
RETURN left_out, CASE WHEN left_out < 0 THEN 'none' ELSE key[left_out][7] + ' ' + key[left_out][1] + ' ' + key[left_out][8] END AS edge,
  answers
ORDER BY left_out
