import { Pool } from "pg"

/** What a reference server is told by the bench through its environment. */
export const settings = {
  port: Number(process.env["PORT"]),
  token: process.env["BENCH_TOKEN"] ?? "",
  operatorId: Number(process.env["BENCH_OPERATOR"])
}

/** As many connections as the service's own pool. */
export const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10 })
