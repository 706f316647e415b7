// kind: query
// about: Wikipedia
// reads: every statement
// Properties of Wikidata by how often they occur in statements, and of how many items; all, and those kept alone.
// parameter limit = 25: the most rows
// column property: the property's id
// column relation: its label
// column statements: how many statements have it
// column support: of how many items
// column kept: how many of them no filter refuses
// column kept_support: of how many items these are
MATCH (:Item)-[statement:STATEMENT]->()
WITH statement, CASE WHEN statement.kept THEN statement.item ELSE null END AS keeper
RETURN statement.property_id AS property, max(statement.relation) AS relation, count(*) AS statements,
  count(DISTINCT statement.item) AS support, count(keeper) AS kept, count(DISTINCT keeper) AS kept_support
ORDER BY statements DESC, property
LIMIT $limit
