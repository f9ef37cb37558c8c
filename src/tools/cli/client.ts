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
  `Client ${client_id}. Its secret, shown this once:\n${client_secret}`

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("What hosts see when they are asked for access")),
    redirect: Flag.String("redirect").pipe(
      Flag.withDescription("The https address hosts are led back to; may be given several times"),
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
  Command.withDescription(
    "Let a partner's software ask hosts for access; answers its client_id and, this once, its secret"
  ),
  Command.withExamples([
    {
      command: 'latchkey client create --name "Ledger" --redirect https://ledger.example.com/connected',
      description: "A partner whose hosts are led back to one address"
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
).pipe(Command.withDescription("List who may ask hosts for access, and how many have given it"))

const disable = Command.make("disable", { id }, ({ id }) =>
  answer(
    "client disable",
    withPartners((partners) => partners.disable(id)),
    ({ client_id, connections_ended }) =>
      `Client ${client_id} may ask for nothing any more. Connections that ended with it: ${connections_ended}.`
  )
).pipe(
  Command.withDescription("Take a client out of service for good: its connections end, with their tokens and webhooks")
)

const rotate = Command.make("rotate", { id }, ({ id }) =>
  answer(
    "client rotate",
    withPartners((partners) => partners.rotate(id)),
    secretShown
  )
).pipe(Command.withDescription("Make a new secret; the one before stops at once, and connections stay"))

export const client = Command.make("client").pipe(
  Command.withDescription("OAuth clients: partners' software that asks hosts for access"),
  Command.withSubcommands([create, list, disable, rotate])
)
