import { spawnSync } from "node:child_process"

// `npm run bench`: every bench in turn, on the PostgreSQL server and the Redis that the environment names or that are
// usual on this machine. Each can be run alone: `node bench/<name>.ts`.

const env = {
  ...process.env,
  DATABASE_URL: process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres",
  REDIS_URL: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379"
}

for (const name of [
  "steady",
  "embedded",
  "windows",
  "permits",
  "metrics",
  "fairness",
  "embedded-share",
  "reservations",
  "keywords",
  "webhooks",
  "holds",
  "channels",
  "guests",
  "automation",
  "pages",
  "pooler",
  "custom-plans",
  "test-server"
]) {
  console.log(`\n== bench/${name}.ts`)
  const { status } = spawnSync(process.execPath, [`bench/${name}.ts`], { env, stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}
