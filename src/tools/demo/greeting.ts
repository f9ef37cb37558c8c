import { Context, DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { addDays, dateInZone } from "../../contract/time.ts"
import { isPlainLoopback, type Settings } from "../../service/configuration.ts"
import { type DemoAccess, type OperatorsExist, seedDemo } from "./seed.ts"

type GreetingSettings = Pick<Settings, "publicUrl" | "demo" | "sandbox">

const renderAddresses = ({ publicUrl }: GreetingSettings): ReadonlyArray<string> => [
  `Latchkey is running at ${publicUrl}`,
  `  REST     ${publicUrl}/v3`,
  `  MCP      ${publicUrl}/mcp`,
  `  Console  ${publicUrl}/console`,
  `  Docs     ${publicUrl}/docs`
]

const renderWelcome = ({ publicUrl }: GreetingSettings, access: DemoAccess, today: string): ReadonlyArray<string> => [
  "",
  "A demo operator is ready. List its income and expenses of the last 30 days:",
  "",
  `  curl -H "Service-Access-Token: ${access.token}" "${publicUrl}/v3/transactions?start_date=${addDays(today, -30)}&end_date=${today}"`,
  "",
  "The token is writable and does not expire. Copy it now: it is not shown again.",
  "",
  `Sign in to its console at ${publicUrl}/console`,
  "",
  `  e-mail    ${access.email}`,
  `  password  ${access.password}`,
  "",
  "The password is not shown again. You can change it in the console."
]

const renderMarketplace = ({ publicUrl, sandbox }: GreetingSettings): ReadonlyArray<string> =>
  sandbox === "never" || !isPlainLoopback(publicUrl)
    ? []
    : ["", `Book its properties as a guest in the sandbox marketplace: ${publicUrl}/sandbox`]

const renderWelcomeBack = (accountId: number): ReadonlyArray<string> => [
  "",
  "Create a new token for the demo operator:",
  "",
  `  npx latchkey token create --account ${accountId} --name mine --scope writable`,
  "",
  "Change the password of its console:",
  "",
  `  echo 'a new password' | npx latchkey account password --account ${accountId} --password-stdin`
]

/** Seeds the demo operator. A test server has seeded it before. */
export const DemoSeed = Context.Reference<Effect.Effect<DemoAccess, OperatorsExist, SqlClient>>(
  "latchkey/tools/demo/DemoSeed",
  { defaultValue: () => seedDemo }
)

/** Seeds the demo operator if `demo` is set. */
export const renderGreeting = Effect.fn("greet")(function* (
  settings: GreetingSettings
): Effect.fn.Return<string, never, SqlClient> {
  const welcomeLines = settings.demo
    ? yield* Effect.matchEffect(yield* DemoSeed, {
        onFailure: ({ demoAccountId }) =>
          Effect.succeed(
            demoAccountId === undefined ? [] : [...renderWelcomeBack(demoAccountId), ...renderMarketplace(settings)]
          ),
        onSuccess: (access) =>
          Effect.map(DateTime.nowAsDate, (now) => [
            ...renderWelcome(settings, access, dateInZone(now, access.timeZone)),
            ...renderMarketplace(settings)
          ])
      })
    : []
  return [...renderAddresses(settings), ...welcomeLines, ""].join("\n")
})
