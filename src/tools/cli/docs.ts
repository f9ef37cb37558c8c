import { Data, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Configuration } from "../../service/configuration.ts"
import { writeSite } from "../../transports/docs/site/site-writer.ts"
import { runStandaloneCommand } from "./command-runner.ts"

class DocsNotWritten extends Data.TaggedError("DocsNotWritten")<{ readonly message: string }> {}

const buildCommand = Command.make(
  "build",
  {
    folder: Argument.String("dir").pipe(Argument.withDescription("Folder to write; created if it does not exist")),
    docsUrl: Flag.String("docs-url").pipe(
      Flag.withDescription("Address of the site, which llms.txt names (default: PUBLIC_URL/docs)"),
      Flag.optional
    )
  },
  ({ folder, docsUrl }) =>
    runStandaloneCommand(
      Effect.gen(function* () {
        const { publicUrl, deployment } = yield* Configuration
        const publishedUrl = Option.getOrElse(docsUrl, () => `${publicUrl}/docs`).replace(/\/+$/, "")
        const files = yield* writeSite(folder, { publicUrl, deployment, docsUrl: publishedUrl })
        return { files, folder, public_url: publicUrl }
      }).pipe(Effect.catchTag("PlatformError", (error) => new DocsNotWritten({ message: error.message }))),
      ({ files, public_url }) => `Wrote ${files} files to ${folder} for the service at ${public_url}.`
    )
).pipe(
  Command.withDescription("Write the documentation as files for any web server"),
  Command.withExamples([
    {
      command: "latchkey docs build site --docs-url https://docs.example.com",
      description: "Build the site for another address"
    }
  ])
)

export const docsCommand = Command.make("docs").pipe(
  Command.withDescription("Build the documentation that the service serves at /docs"),
  Command.withSubcommands([buildCommand])
)
