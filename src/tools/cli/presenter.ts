import { Console, Effect } from "effect"
import { type CliError, CliOutput } from "effect/cli"
import { printFailure } from "./command-output.ts"

/** The full help would hide the reason of an invalid call. */
export const makePresenter = (json: boolean): CliOutput.Presenter => ({
  present: (event) => {
    if (json && event._tag === "Help" && event.reason === "Implicit")
      return printFailure(json, `Give a subcommand; ${event.commandPath.join(" ")} --help lists them.`)
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const reason = event.errors.map(formatCliError).join("; ")
    const failure = printFailure(json, reason)
    return json ? failure : Effect.andThen(failure, Console.error(`Try ${event.commandPath.join(" ")} --help`))
  }
})

const formatCliError = (error: CliError.NonShowHelpErrors): string =>
  error.message.replace("Expected a string representing a finite number", "Expected a number").replace(/\s*\n\s*/g, " ")
