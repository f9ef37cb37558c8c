import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpConnectors } from "../../connectors/http/HttpConnectors.ts"
import { ChannelType } from "../../domain/channels/port/channel-type.ts"
import { AllowedReceivers } from "../../domain/webhooks/deliveries/allowed-hosts.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { Configuration } from "../../service/configuration.ts"
import { runCommand } from "./command-runner.ts"
import { withFieldFlags } from "./field-flags.ts"

const connectorFlag = Flag.Int("connector").pipe(Flag.withDescription("connector_id"))

const withConnectors = <A, E, R>(use: (connectors: HttpConnectors["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(HttpConnectors.use(use), HttpConnectors.layer)

const formatSecret = ({ connector_id, secret }: { readonly connector_id: number; readonly secret: string }): string =>
  `Connector ${connector_id}. Signing secret (not shown again):\n${secret}`

const addCommand = Command.make(
  "add",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Name of the connector")),
    url: Flag.String("url").pipe(Flag.withDescription("The https address of the connector"))
  },
  (options) =>
    runCommand(
      "connector add",
      Effect.gen(function* () {
        const { publicUrl, webhookAllowedHosts } = yield* Configuration
        return yield* withConnectors((connectors) => connectors.add(options)).pipe(
          Effect.provideService(PublicUrl, publicUrl),
          Effect.provideService(AllowedReceivers, webhookAllowedHosts)
        )
      }).pipe(withFieldFlags({ name: "--name", url: "--url" })),
      formatSecret
    )
).pipe(Command.withDescription("Register a connector; prints its signing secret once"))

const listCommand = Command.make("list", {}, () =>
  runCommand(
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
).pipe(Command.withDescription("List the connectors with the number of their accounts"))

const connectCommand = Command.make(
  "connect",
  {
    connector: connectorFlag,
    operator: Flag.Int("operator").pipe(Flag.withDescription("operator_id that owns the account")),
    channel: Flag.Literals("channel", ChannelType.literals).pipe(Flag.withDescription("channel_type of the account")),
    account: Flag.String("account").pipe(
      Flag.withDescription("origin_account_id: the channel's own id of the account")
    ),
    username: Flag.String("username").pipe(Flag.withDescription("Name of the account at the channel"))
  },
  ({ connector, operator, channel, account, username }) =>
    runCommand(
      "connector connect",
      withConnectors((connectors) =>
        connectors.connectAccount(connector, operator, { channel_type: channel, origin_account_id: account, username })
      ).pipe(withFieldFlags({ origin_account_id: "--account", username: "--username" })),
      ({ channel_account_id }) => `Connector ${connector} now serves account ${channel_account_id}.`
    )
).pipe(
  Command.withDescription("Connect a channel account of an operator; prints its channel_account_id"),
  Command.withExamples([
    {
      command: "latchkey connector connect --connector 1 --operator 1 --channel houfy --account host-7 --username Ana",
      description: "Connect account host-7 on houfy"
    }
  ])
)

const rotateCommand = Command.make("rotate", { connector: connectorFlag }, ({ connector }) =>
  runCommand(
    "connector rotate",
    withConnectors((connectors) => connectors.rotateSecret(connector)),
    formatSecret
  )
).pipe(Command.withDescription("Replace the signing secret; the old one stays valid for 24 hours"))

const removeCommand = Command.make("remove", { connector: connectorFlag }, ({ connector }) =>
  runCommand(
    "connector remove",
    withConnectors((connectors) => connectors.remove(connector)),
    ({ connector_id }) => `Removed connector ${connector_id}; its accounts are disconnected.`
  )
).pipe(Command.withDescription("Remove a connector and disconnect its accounts"))

export const connectorCommand = Command.make("connector").pipe(
  Command.withDescription("Manage external connectors, which reach channels over HTTP"),
  Command.withSubcommands([addCommand, listCommand, connectCommand, rotateCommand, removeCommand])
)
