// Reads SQL from standard input and runs it in DuckDB, statement by statement. Prints the
// rows of each statement that has some, as a line of JSON with numbers of JSON.
import { DuckDBInstance } from '@duckdb/node-api'
import { readFileSync } from 'node:fs'

const connection = await (await DuckDBInstance.create(':memory:')).connect()
const statements = await connection.extractStatements(readFileSync(0, 'utf8'))
for (let i = 0; i < statements.count; i++) {
  const reader = await (await statements.prepare(i)).runAndReadAll()
  console.log(JSON.stringify(reader.getRowObjectsJS(), (_, value) => typeof value === 'bigint' ? Number(value) : value))
}
