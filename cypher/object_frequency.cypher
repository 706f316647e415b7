// kind: query
// about: Wikipedia
// reads: every statement
// Values of statements by frequency: Wikidata items, and values in words.
// parameter limit = 25: maximum number of rows
// column id: the item's id, or the kind and the words of a value that is no item
// column label: the item's label, or the words
// column statements: how many statements lead there
// column kept: how many of them no filter refuses
MATCH (:Item)-[statement:STATEMENT]->(target)
RETURN target.id AS id, coalesce(target.label, target.text) AS label, count(*) AS statements,
  sum(CASE WHEN statement.kept THEN 1 ELSE 0 END) AS kept
ORDER BY statements DESC, id
LIMIT $limit
