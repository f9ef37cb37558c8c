import { Effect } from "effect"
import { customAlphabet, randomDigits } from "../../../platform/random-text.ts"

const CODE_CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** What an order made by hand is called that its caller did not name (contract facts 2.3): nine letters and digits. */
const newChannelId = customAlphabet(CODE_CHARACTERS, 9)

const newCodeSuffix = customAlphabet(CODE_CHARACTERS, 4)

/** What an order that a channel sold is called: nine digits and a tail, `0-481203757-XK2P`. */
export const newChannelOrderCode = (): string => `0-${randomDigits(9)}-${newCodeSuffix()}`

/** How often one is drawn: that even one is another order's already is next to impossible. */
export const CODE_ATTEMPTS = 5

/** Creates an order under a name of its own: one that another order has says nothing about this one. */
export const createWithGeneratedId = <A, E, R>(
  create: (channelId: string) => Effect.Effect<A | undefined, E, R>
): Effect.Effect<A, E, R> => retryUntilCreated(Effect.suspend(() => create(newChannelId())))

/** Creates an order once more while nothing says why it was not: what was in its way is gone since. */
export const retryUntilCreated = <A, E, R>(create: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(create, (created) => (created === undefined ? repeatCreate(create) : Effect.succeed(created)))

const repeatCreate = <A, E, R>(create: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  create.pipe(
    Effect.repeat({ times: CODE_ATTEMPTS - 2, until: (created) => created !== undefined }),
    Effect.flatMap((created) =>
      created === undefined
        ? Effect.die(new Error("an order was not created for an unknown reason"))
        : Effect.succeed(created)
    )
  )
