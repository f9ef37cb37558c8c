import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Listed, Partners, type WithSecret } from "../../domain/access/oauth/Partners.ts"
import { PublicClient } from "../../platform/installation.ts"
import { PARTNER_REDIRECTS } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { answer } from "./answer.ts"

const id = Argument.String("id").pipe(Argument.withDescription("client_id"))

/** What commands work with. */
const withPartners = <A, E, R>(work: (partners: Partners["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, ({ publicClient }) =>
    Effect.provide(Partners.use(work), Partners.layer).pipe(Effect.provideService(PublicClient, publicClient))
  )

const secretShown = ({ client_id, client_secret }: WithSecret): string =>
  `Client ${client_id}. Secret (not shown again):\n${client_secret}`

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name that hosts see when they grant access")),
    redirect: Flag.String("redirect").pipe(
      Flag.withDescription(`The https address that hosts return to; repeat for up to ${PARTNER_REDIRECTS} addresses`),
      Flag.between(1, PARTNER_REDIRECTS)
    )
  },
  ({ name, redirect }) =>
    answer(
      "client create",
      withPartners((partners) => partners.create({ name, redirect_uris: redirect })),
      secretShown
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

const lineOf = ({ client_id, name, redirect_uris, disabled, connections }: Listed): string => {
  const line = `${client_id}  ${JSON.stringify(name)}  connections: ${connections}${disabled ? "  disabled" : ""}`
  return [line, ...redirect_uris.map((uri) => `  ${uri}`)].join("\n")
}

const list = Command.make("list", {}, () =>
  answer(
    "client list",
    Effect.map(
      withPartners((partners) => partners.list),
      (clients) => ({ clients })
    ),
    ({ clients }) => clients.map(lineOf).join("\n")
  )
).pipe(Command.withDescription("List the OAuth clients with the number of their connections"))

const disable = Command.make("disable", { id }, ({ id }) =>
  answer(
    "client disable",
    withPartners((partners) => partners.disable(id)),
    ({ client_id, connections_ended }) => `Disabled client ${client_id}; ended connections: ${connections_ended}.`
  )
).pipe(Command.withDescription("Disable a client for good; ends its connections, tokens and webhooks"))

const rotate = Command.make("rotate", { id }, ({ id }) =>
  answer(
    "client rotate",
    withPartners((partners) => partners.rotate(id)),
    secretShown
  )
).pipe(Command.withDescription("Replace the secret of a client; the old one stops at once, connections stay"))

export const client = Command.make("client").pipe(
  Command.withDescription("Manage the OAuth clients of partners"),
  Command.withSubcommands([create, list, disable, rotate])
)
