// kind: write
// Links errata to the questions that they correct.
// parameter rows: subject (erratum id), object (question id)
UNWIND $rows AS row
MATCH (erratum:Erratum {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (erratum)-[:CORRECTS]->(question)
