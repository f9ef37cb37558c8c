import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type PartnerCredentials, type PartnerListItem, Partners } from "../../domain/access/oauth/Partners.ts"
import { PublicClientEnabled } from "../../platform/installation.ts"
import { PARTNER_REDIRECTS_MAX } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { runCommand } from "./command-runner.ts"
import { withFieldFlags } from "./field-flags.ts"

const clientArgument = Argument.String("id").pipe(Argument.withDescription("client_id"))

const withPartners = <A, E, R>(use: (partners: Partners["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, ({ publicClientEnabled }) =>
    Effect.provide(Partners.use(use), Partners.layer).pipe(
      Effect.provideService(PublicClientEnabled, publicClientEnabled)
    )
  )

const formatSecret = ({ client_id, client_secret }: PartnerCredentials): string =>
  `Client ${client_id}. Secret (not shown again):\n${client_secret}`

const createCommand = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name that hosts see when they grant access")),
    redirect: Flag.String("redirect").pipe(
      Flag.withDescription(
        `The https address that hosts return to; repeat for up to ${PARTNER_REDIRECTS_MAX} addresses`
      ),
      Flag.between(1, PARTNER_REDIRECTS_MAX)
    )
  },
  ({ name, redirect }) =>
    runCommand(
      "client create",
      withPartners((partners) => partners.create({ name, redirect_uris: redirect })).pipe(
        withFieldFlags({ name: "--name", redirect_uris: "--redirect" })
      ),
      formatSecret
    )
).pipe(
  Command.withDescription("Create an OAuth client for a partner; prints its client_id and, once, its secret"),
  Command.withExamples([
    {
      command: 'latchkey client create --name "Ledger" --redirect https://ledger.example.com/connected',
      description: "Create a client with one redirect address"
    }
  ])
)

const formatClient = ({ client_id, name, redirect_uris, disabled, connections }: PartnerListItem): string => {
  const line = `${client_id}  ${JSON.stringify(name)}  connections: ${connections}${disabled ? "  disabled" : ""}`
  return [line, ...redirect_uris.map((uri) => `  ${uri}`)].join("\n")
}

const listCommand = Command.make("list", {}, () =>
  runCommand(
    "client list",
    Effect.map(
      withPartners((partners) => partners.list),
      (clients) => ({ clients })
    ),
    ({ clients }) => clients.map(formatClient).join("\n")
  )
).pipe(Command.withDescription("List the OAuth clients with the number of their connections"))

const disableCommand = Command.make("disable", { id: clientArgument }, ({ id }) =>
  runCommand(
    "client disable",
    withPartners((partners) => partners.disable(id)),
    ({ client_id, connections_ended }) => `Disabled client ${client_id}; ended connections: ${connections_ended}.`
  )
).pipe(Command.withDescription("Disable a client for good; ends its connections, tokens and webhooks"))

const rotateCommand = Command.make("rotate", { id: clientArgument }, ({ id }) =>
  runCommand(
    "client rotate",
    withPartners((partners) => partners.rotateSecret(id)),
    formatSecret
  )
).pipe(Command.withDescription("Replace the secret of a client; the old one stops at once, connections stay"))

export const clientCommand = Command.make("client").pipe(
  Command.withDescription("Manage the OAuth clients of partners"),
  Command.withSubcommands([createCommand, listCommand, disableCommand, rotateCommand])
)
