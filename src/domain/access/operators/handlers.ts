import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { AccessTokens, type CreatedToken } from "./AccessTokens.ts"
import { AccessTokenOperations, type create_access_token, type revoke_access_token } from "./contract.ts"

export const layerAccessTokens = layerOperations(
  Effect.map(AccessTokens, (tokens) =>
    handleOperations(AccessTokenOperations, {
      create_access_token: changeHandler(createAccessToken(tokens), TokenId, toCreationResult),
      revoke_access_token: voidChangeHandler(revokeAccessToken(tokens))
    })
  )
)

/** The part of the response that is stored with the idempotency key. It omits the token. */
const TokenId = Schema.Struct({ token_id: Schema.Int })

const toCreationResult = ({ token_id, token }: Pick<CreatedToken, "token_id"> & Partial<CreatedToken>) => ({
  token_id,
  ...(token === undefined ? {} : { token })
})

const createAccessToken = (tokens: AccessTokens["Service"]) =>
  Effect.fnUntraced(function* ({ name, scope }: typeof create_access_token.payloadSchema.Type) {
    const token = yield* tokens.create(yield* CurrentCaller, { name, scope })
    return token ?? (yield* Effect.die(new Error("the caller has no account")))
  })

const revokeAccessToken = (tokens: AccessTokens["Service"]) =>
  Effect.fnUntraced(function* ({ id }: typeof revoke_access_token.payloadSchema.Type) {
    if (!(yield* tokens.revoke(yield* CurrentCaller, id))) return yield* tokenNotFoundError
  })

const tokenNotFoundError = new NotFound({ message: "id: no such access token." })
