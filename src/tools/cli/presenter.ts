import { Console, Effect } from "effect"
import { CliOutput } from "effect/cli"
import { printFailure } from "./command-output.ts"

/** A wrong invocation is told in a line and names the help, instead of burying the reason under it. */
export const makePresenter = (json: boolean): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const reason = event.errors.map((error) => error.message.replace(/\s*\n\s*/g, " ")).join("; ")
    const failure = printFailure(json, reason)
    return json ? failure : Effect.andThen(failure, Console.error(`Try ${event.commandPath.join(" ")} --help`))
  }
})
