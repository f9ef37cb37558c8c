import { Command } from "effect/cli"
import { activate, deactivate } from "./property-active.ts"

export const property = Command.make("property").pipe(
  Command.withDescription("Properties: whether they are let"),
  Command.withSubcommands([deactivate, activate])
)
