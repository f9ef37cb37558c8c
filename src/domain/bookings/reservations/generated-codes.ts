import { Effect } from "effect"
import { customAlphabet, randomDigits } from "../../../platform/random-text.ts"

const CODE_CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const newChannelId = customAlphabet(CODE_CHARACTERS, 9)

const newCodeSuffix = customAlphabet(CODE_CHARACTERS, 4)

/** Such as `0-481203757-XK2P`. */
export const newChannelOrderCode = (): string => `0-${randomDigits(9)}-${newCodeSuffix()}`

export const CODE_ATTEMPTS = 5

/** Draws a new id for each attempt, so that a collision does not return another order. */
export const createWithGeneratedId = <A, E, R>(
  create: (channelId: string) => Effect.Effect<A | undefined, E, R>
): Effect.Effect<A, E, R> => retryUntilCreated(Effect.suspend(() => create(newChannelId())))

/**
 * Repeats the creation while it returns undefined. Then the insert created nothing, although a later query found no
 * obstacle.
 */
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
