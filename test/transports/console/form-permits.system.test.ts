import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Clients } from "../../../src/domain/access/oauth/Clients.ts"
import { newSessionCookie } from "../../../src/domain/access/sign-in/cookies.ts"
import { MailedLinks } from "../../../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../../../src/domain/access/sign-in/Passwords.ts"
import { Sessions } from "../../../src/domain/access/sign-in/Sessions.ts"
import { SubAccounts } from "../../../src/domain/access/sign-in/SubAccounts.ts"
import { NotificationStore } from "../../../src/domain/notifications/store.ts"
import { OutboundHttp } from "../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { CONSOLE_PERMITS, PERMIT_WAIT_MS } from "../../../src/platform/limits.ts"
import { layerConsoleEndpoint } from "../../../src/transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "../../../src/transports/console/queries/layer.ts"
import { toConsoleCaller } from "../../support/console-caller.ts"
import { PUBLIC_URL, partnerRequestUrl, visitPage } from "../../support/domain/access/oauth/consent-pages.ts"
import { layerTest } from "../../support/harness.ts"

const session = {
  person: {
    caller: toConsoleCaller({ operatorId: 5, accountId: 7, role: "main", edition: "pro" }),
    status: "active" as const,
    subscriptionUntil: null
  },
  email: "host@example.test",
  operatorName: "Harbour Stays",
  passwordAt: 0
}

let consentPages = 0

/** The console for a person who is signed in. Its consent page never responds and so holds its permit. */
const layerBusyConsole = layerConsoleEndpoint(PUBLIC_URL).pipe(
  Layer.provide([
    Layer.mock(Sessions, { find: () => Effect.succeed(session) }),
    Layer.mock(Clients, {
      find: () =>
        Effect.andThen(
          Effect.sync(() => ++consentPages),
          Effect.never
        )
    }),
    Layer.mock(Passwords, {}),
    Layer.mock(SubAccounts, {}),
    Layer.mock(MailedLinks, {}),
    Layer.mock(NotificationStore, {}),
    Layer.provide(layerConsoleQueries, Layer.mock(OutboundHttp, {}))
  ]),
  Layer.provideMerge(layerTest)
)

layer(layerBusyConsole)("a form of the console", (it) => {
  it.effect("waits for a concurrency permit before it is parsed, also if it is refused", () =>
    Effect.gen(function* () {
      const cookie = newSessionCookie()
      const unreadable = visitPage("/console", { cookie, form: { note: "\u0000" } })
      assert.strictEqual((yield* unreadable).status, 400)
      const begin = Effect.forkChild(visitPage(partnerRequestUrl(), { cookie }), { startImmediately: true })
      const pages = yield* Effect.replicateEffect(begin, CONSOLE_PERMITS)
      yield* Effect.repeat(Effect.yieldNow, { until: () => consentPages === CONSOLE_PERMITS })
      const waiting = yield* Effect.forkChild(unreadable, { startImmediately: true })
      yield* Effect.repeat(TestClock.adjust(PERMIT_WAIT_MS), { until: () => waiting.pollUnsafe() !== undefined })
      assert.strictEqual((yield* Fiber.join(waiting)).status, 503)
      yield* Fiber.interruptAll(pages)
    })
  )
})
