import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { ServerError } from "../../../contract/errors.ts"
import { BUSY_RETRY_SECONDS } from "../../../platform/limits.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import {
  AccountOperations,
  type create_account,
  type disable_account,
  type enable_account,
  type set_account_password
} from "./contract.ts"
import { SubAccounts } from "./SubAccounts.ts"
import { DisabledAccount } from "./sub-account-store.ts"

export const layerAccounts = layerOperations(
  Effect.map(SubAccounts, (accounts) =>
    handleOperations(AccountOperations, {
      create_account: changeHandler(createAccount(accounts), CreatedAccount, ({ account_id }) => ({ account_id })),
      disable_account: changeHandler(disableAccount(accounts), DisabledAccount, ({ sessions_ended }) => ({
        sessions_ended
      })),
      enable_account: voidChangeHandler(enableAccount(accounts)),
      set_account_password: voidChangeHandler(setAccountPassword(accounts))
    })
  )
)

type Accounts = SubAccounts["Service"]

const CreatedAccount = Schema.Struct({ account_id: Schema.Int })

const createAccount = (accounts: Accounts) =>
  Effect.fnUntraced(function* ({ email, name, password }: typeof create_account.payloadSchema.Type) {
    return yield* accounts
      .create(yield* CurrentCaller, { email, password, ...(name === undefined ? {} : { name }) })
      // NotFound is a defect here, because the operator of a caller exists.
      .pipe(Effect.catchTags({ Busy: () => tooManyPasswordsError, NotFound: Effect.die }))
  })

const disableAccount = (accounts: Accounts) =>
  Effect.fnUntraced(function* ({ id }: typeof disable_account.payloadSchema.Type) {
    return yield* accounts.disable(yield* CurrentCaller, id)
  })

const enableAccount = (accounts: Accounts) =>
  Effect.fnUntraced(function* ({ id }: typeof enable_account.payloadSchema.Type) {
    return yield* accounts.enable(yield* CurrentCaller, id)
  })

const setAccountPassword = (accounts: Accounts) =>
  Effect.fnUntraced(function* ({ id, password }: typeof set_account_password.payloadSchema.Type) {
    return yield* Effect.catchTag(
      accounts.setPassword(yield* CurrentCaller, id, password),
      "Busy",
      () => tooManyPasswordsError
    )
  })

const tooManyPasswordsError = new ServerError({
  message: "password: too many passwords are set at once; try again in a moment.",
  retryAfter: BUSY_RETRY_SECONDS
})
