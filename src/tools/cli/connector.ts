import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpConnectors } from "../../connectors/http/HttpConnectors.ts"
import { ChannelType } from "../../domain/channels/port/channel-type.ts"
import { AllowedReceivers } from "../../domain/webhooks/deliveries/allowed-hosts.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { Configuration } from "../../service/configuration.ts"
import { answer } from "./answer.ts"

const id = Flag.Int("connector").pipe(Flag.withDescription("connector_id"))

/** What commands work with. */
const withConnectors = <A, E, R>(work: (connectors: HttpConnectors["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(HttpConnectors.use(work), HttpConnectors.layer)

const secretShown = ({ connector_id, secret }: { readonly connector_id: number; readonly secret: string }): string =>
  `Connector ${connector_id}. Its signing secret, shown this once:\n${secret}`

const add = Command.make(
  "add",
  {
    name: Flag.String("name").pipe(Flag.withDescription("What you call it")),
    url: Flag.String("url").pipe(Flag.withDescription("The https address it is asked at"))
  },
  (given) =>
    answer(
      "connector add",
      Effect.gen(function* () {
        const { publicUrl, webhookAllowedHosts } = yield* Configuration
        return yield* withConnectors((connectors) => connectors.add(given)).pipe(
          Effect.provideService(PublicUrl, publicUrl),
          Effect.provideService(AllowedReceivers, webhookAllowedHosts)
        )
      }),
      secretShown
    )
).pipe(Command.withDescription("Make known a connector that runs elsewhere; answers its secret, this once"))

const list = Command.make("list", {}, () =>
  answer(
    "connector list",
    Effect.map(
      withConnectors((connectors) => connectors.list),
      (connectors) => ({ connectors })
    ),
    ({ connectors }) =>
      connectors.length === 0
        ? "No connectors."
        : connectors
            .map(
              ({ connector_id, name, url, accounts }) =>
                `${connector_id}  ${JSON.stringify(name)}  ${url}  accounts: ${accounts}`
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the connectors, and how many accounts each is for"))

const connect = Command.make(
  "connect",
  {
    connector: id,
    operator: Flag.Int("operator").pipe(Flag.withDescription("operator_id of the host whose account it is")),
    channel: Flag.Literals("channel", ChannelType.literals).pipe(Flag.withDescription("Its channel_type")),
    account: Flag.String("account").pipe(
      Flag.withDescription("origin_account_id: the channel's own id of the account")
    ),
    username: Flag.String("username").pipe(Flag.withDescription("What the account is called there"))
  },
  ({ connector, operator, channel, account, username }) =>
    answer(
      "connector connect",
      withConnectors((connectors) =>
        connectors.connect(connector, operator, { channel_type: channel, origin_account_id: account, username })
      ),
      ({ channel_account_id }) => `Connector ${connector} acts for the account ${channel_account_id} from now on.`
    )
).pipe(
  Command.withDescription(
    "Let a connector act and speak for an account of an operator; answers its channel_account_id"
  ),
  Command.withExamples([
    {
      command: "latchkey connector connect --connector 1 --operator 1 --channel houfy --account host-7 --username Ana",
      description: "The account host-7 on houfy"
    }
  ])
)

const rotate = Command.make("rotate", { connector: id }, ({ connector }) =>
  answer(
    "connector rotate",
    withConnectors((connectors) => connectors.rotate(connector)),
    secretShown
  )
).pipe(Command.withDescription("Make a new secret; for 24 hours the one before is good beside it"))

const remove = Command.make("remove", { connector: id }, ({ connector }) =>
  answer(
    "connector remove",
    withConnectors((connectors) => connectors.remove(connector)),
    ({ connector_id }) => `Connector ${connector_id} is gone: its accounts are not reached any more.`
  )
).pipe(Command.withDescription("Forget a connector; its accounts are not reached any more"))

export const connector = Command.make("connector").pipe(
  Command.withDescription("Connectors over HTTP: small services elsewhere that speak to channels of their own"),
  Command.withSubcommands([add, list, connect, rotate, remove])
)
