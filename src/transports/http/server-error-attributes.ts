import { Exit } from "effect"
import type { HttpServerResponse } from "effect/http"

/** What failed on our side is told to a collector whichever traces it is sent. */
export const serverErrorAttributes = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse>) =>
  Exit.isSuccess(exit) && exit.value.status >= 500 ? { "latchkey.status": exit.value.status } : undefined
