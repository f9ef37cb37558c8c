import { Effect } from "effect"
import { Command } from "effect/cli"
import { seedDemo } from "../demo/seed.ts"
import { runCommand } from "./command-runner.ts"

const seedCommand = Command.make("seed", {}, () =>
  runCommand(
    "demo seed",
    Effect.map(seedDemo, ({ operatorId, accountId, email, password, token }) => ({
      operator_id: operatorId,
      account_id: accountId,
      email,
      password,
      token
    })),
    (demoAccess) =>
      [
        `Created operator ${demoAccess.operator_id} with main account ${demoAccess.account_id}.`,
        `E-mail address: ${demoAccess.email}, password: ${demoAccess.password}`,
        `Token (not shown again): ${demoAccess.token}`
      ].join("\n")
  )
).pipe(Command.withDescription("Create the demo operator in an empty database"))

export const demoCommand = Command.make("demo").pipe(
  Command.withDescription("Create the demo operator"),
  Command.withSubcommands([seedCommand])
)
