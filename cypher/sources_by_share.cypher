// kind: query
// about: sources
// reads: every edge
// Sources of triplets, with the share of each.
// column graph: visual or textual
// column source: the kind of source
// column triplets: how many
// column share: part of all triplets, in per cent
MATCH (:Entity)-[edge:VISUAL|TEXTUAL]->(:Entity)
WITH toLower(type(edge)) AS graph, edge.source AS source, count(*) AS triplets
WITH collect({graph: graph, source: source, triplets: triplets}) AS rows, sum(triplets) AS total
UNWIND rows AS row
RETURN row.graph AS graph, row.source AS source, row.triplets AS triplets, round(100.0 * row.triplets / total, 1) AS share
ORDER BY triplets DESC, graph, source
