import { Effect, Result, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { BadRequest, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { AuthorizationCodes } from "./AuthorizationCodes.ts"
import { checkCodeChallenge } from "./authorization-request.ts"
import { Clients } from "./Clients.ts"
import { ConnectionOperations, type connect_application, type disconnect_application } from "./connection-contract.ts"
import { Grants } from "./Grants.ts"
import { findProtectedResource } from "./protected-resource.ts"

export const layerConnections = layerOperations(
  Effect.gen(function* () {
    const [grants, clients, codes] = [yield* Grants, yield* Clients, yield* AuthorizationCodes]
    return handleOperations(ConnectionOperations, {
      connect_application: changeHandler(
        connectApplication(clients, codes, yield* PublicUrl),
        IssuedCode,
        toConnectResult
      ),
      disconnect_application: voidChangeHandler(disconnectApplication(grants))
    })
  })
)

/** The part of the response that is stored with the idempotency key. It omits the code. */
const IssuedCode = Schema.Struct({ client_id: Schema.String })

const toConnectResult = ({ code }: typeof IssuedCode.Type & { readonly code?: string }) =>
  code === undefined ? {} : { code }

const connectApplication = (clients: Clients["Service"], codes: AuthorizationCodes["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (payload: typeof connect_application.payloadSchema.Type) {
    const { client_id, redirect_uri: redirectUri, scope, code_challenge, resource } = payload
    const client = (yield* clients.find(client_id)) ?? (yield* clientNotFoundError)
    if (!(yield* clients.mayRedirectTo(client, redirectUri))) return yield* unregisteredUriError
    yield* Effect.fromResult(
      Result.mapError(checkCodeChallenge(code_challenge, client), (message) => new BadRequest({ message }))
    )
    if (resource !== undefined && findProtectedResource(publicUrl, resource) === undefined)
      return yield* foreignResourceError
    const code = yield* codes.issue({
      caller: yield* CurrentCaller,
      client,
      scope,
      redirectUri,
      challenge: code_challenge ?? null,
      resource: resource ?? null
    })
    if (client.isPublic) yield* clients.recordRedirect(redirectUri)
    return { client_id, code }
  })

const clientNotFoundError = new NotFound({ message: "client_id: no such client." })
const unregisteredUriError = new ValidationFailed({ message: "redirect_uri: is not registered by the client." })
const foreignResourceError = new ValidationFailed({ message: "resource: must be an address of this service." })

const disconnectApplication = (grants: Grants["Service"]) =>
  Effect.fnUntraced(function* ({ id }: typeof disconnect_application.payloadSchema.Type) {
    if (!(yield* grants.disconnect(yield* CurrentCaller, id))) return yield* connectionNotFoundError
  })

const connectionNotFoundError = new NotFound({ message: "id: no such connection." })
