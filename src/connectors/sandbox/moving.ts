import { Effect } from "effect"
import { SANDBOX_THREADS } from "../../platform/limits.ts"
import { type Account, Books, type Word } from "./Books.ts"
import { type About, makeChanging, type Rule } from "./changing.ts"
import type { OrderSeen } from "./judging.ts"
import { drawThreadName } from "./names.ts"
import type { SandboxAccount } from "./rows.ts"
import type { Refusal } from "./scene.ts"
import { Telling } from "./Telling.ts"

// How guests move things: changed by a rule, then told.

/** What was moved, and what the service answered when it was told: null if it was not heard yet. */
export type Heard<Seen> = Seen & { readonly heard: string | null }

/** What an act is told as. */
type Told = Pick<Word, "kind" | "subject">

export const makeMoving = Effect.gen(function* () {
  const apply = yield* makeChanging
  const telling = yield* Telling
  const books = yield* Books
  const moved = Effect.fnUntraced(function* <Seen>(
    account: SandboxAccount,
    about: About,
    rule: Rule<Seen, Refusal>,
    told: (seen: Seen) => Told
  ) {
    const seen = yield* apply(account, about, rule)
    yield* telling.tell(account)
    const { kind, subject } = told(seen)
    const heard: Heard<Seen> = { ...seen, heard: yield* books.heard(account, kind, subject) }
    return heard
  })
  return {
    moved,
    orderMoved: (account: SandboxAccount, about: About, rule: Rule<OrderSeen, Refusal>) =>
      moved(account, about, rule, ({ order_id }) => ({ kind: "order", subject: order_id }))
  }
})

/** What an act about an order looks at, which may be of other listings or on other days than the order was. */
export const orderWithin = (orderId: string, listings: ReadonlyArray<string>, dates: ReadonlyArray<string>): About => {
  const [start] = dates.toSorted()
  const end = dates.toSorted().at(-1)
  return { orderId, listings, ...(start === undefined || end === undefined ? {} : { days: { start, end } }) }
}

/** What a guest who has no thread yet would get. */
export const makeNewcomer = Effect.map(
  Books,
  (books) => (account: Account) =>
    Effect.all({
      threadId: drawThreadName,
      isFull: Effect.map(books.threadCount(account), (threads) => threads >= SANDBOX_THREADS)
    })
)
