import { Console, Effect } from "effect"
import { type CliError, CliOutput } from "effect/cli"
import { printFailure } from "./command-output.ts"

/** A wrong invocation is told in a line and names the help, instead of burying the reason under it. */
export const makePresenter = (json: boolean): CliOutput.Presenter => ({
  present: (event) => {
    // Who asked for JSON reads no help.
    if (json && event._tag === "Help" && event.reason === "Implicit")
      return printFailure(json, `Give a subcommand; ${event.commandPath.join(" ")} --help lists them.`)
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const reason = event.errors.map(formatCliError).join("; ")
    const failure = printFailure(json, reason)
    return json ? failure : Effect.andThen(failure, Console.error(`Try ${event.commandPath.join(" ")} --help`))
  }
})

/** In one line; a number is called so, where the library speaks of a string that represents a finite number. */
const formatCliError = (error: CliError.NonShowHelpErrors): string =>
  error.message.replace("Expected a string representing a finite number", "Expected a number").replace(/\s*\n\s*/g, " ")
