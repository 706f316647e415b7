// kind: query
// about: Wikipedia
// reads: every statement
// Filters by the number of statements they refuse.
// column reason: the filter
// column statements: how many it refuses
// column alone: how many that no other filter refuses
MATCH (:Item)-[statement:STATEMENT]->()
WHERE NOT statement.kept
UNWIND statement.reasons AS reason
RETURN reason, count(*) AS statements, sum(CASE WHEN size(statement.reasons) = 1 THEN 1 ELSE 0 END) AS alone
ORDER BY statements DESC, reason
