import { Exit } from "effect"
import type { HttpServerResponse } from "effect/http"

/** A span with these attributes is exported even if its trace is not sampled. */
export const serverErrorAttributes = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse>) =>
  Exit.isSuccess(exit) && exit.value.status >= 500 ? { "latchkey.status": exit.value.status } : undefined
