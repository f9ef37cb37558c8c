import { Effect } from "effect"
import { SANDBOX_THREADS_MAX } from "../../platform/limits.ts"
import { generateThreadId } from "./id-generation.ts"
import type { RuleError } from "./marketplace-snapshot.ts"
import type { SandboxAccount } from "./rows.ts"
import type { SandboxOrderView } from "./rule-results.ts"
import { type MarketplaceRule, makeRuleRunner, type RuleScope } from "./rule-runner.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { type OutboxEvent, type SandboxAccountKey, SandboxRepository } from "./SandboxRepository.ts"

/** `heard` is the result of the last attempt to send the event. Null before the first attempt. */
export type WithIngestOutcome<View> = View & { readonly heard: string | null }

type OutboxEventKey = Pick<OutboxEvent, "kind" | "subject">

export const makeGuestActionRunner = Effect.gen(function* () {
  const runRule = yield* makeRuleRunner
  const outbox = yield* SandboxOutbox
  const repository = yield* SandboxRepository
  const runAction = Effect.fnUntraced(function* <View>(
    account: SandboxAccount,
    scope: RuleScope,
    rule: MarketplaceRule<View, RuleError>,
    toEventKey: (view: View) => OutboxEventKey
  ) {
    const view = yield* runRule(account, scope, rule)
    yield* outbox.flush(account)
    const { kind, subject } = toEventKey(view)
    const result: WithIngestOutcome<View> = {
      ...view,
      heard: yield* repository.findIngestOutcome(account, kind, subject)
    }
    return result
  })
  return {
    runAction,
    runOrderAction: (account: SandboxAccount, scope: RuleScope, rule: MarketplaceRule<SandboxOrderView, RuleError>) =>
      runAction(account, scope, rule, ({ order_id }) => ({ kind: "order", subject: order_id }))
  }
})

export const toOrderScope = (
  orderId: string,
  listings: ReadonlyArray<string>,
  dates: ReadonlyArray<string>
): RuleScope => {
  const [start] = dates.toSorted()
  const end = dates.toSorted().at(-1)
  return { orderId, listings, ...(start === undefined || end === undefined ? {} : { days: { start, end } }) }
}

export const makePrepareNewThread = Effect.map(
  SandboxRepository,
  (repository) => (account: SandboxAccountKey) =>
    Effect.all({
      threadId: generateThreadId,
      isThreadLimitReached: Effect.map(repository.countThreads(account), (threads) => threads >= SANDBOX_THREADS_MAX)
    })
)
