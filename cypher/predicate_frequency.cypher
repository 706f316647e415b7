// kind: query
// about: Wikipedia
// reads: every statement
// Frequency of Wikidata properties in statements, and the number of items that have them, for all statements and for
// kept ones.
// parameter limit = 25: maximum number of rows
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
