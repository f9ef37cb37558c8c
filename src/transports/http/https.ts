import { BadRequest } from "../../contract/errors.ts"
import type { ApiRequest } from "./api-http.ts"

export interface HttpSettings {
  readonly publicUrl: string
  readonly requireHttps: boolean
  readonly trustProxy: boolean
}

export const isSecureRequest = (
  { headers }: Pick<ApiRequest, "headers">,
  { requireHttps, trustProxy }: Pick<HttpSettings, "requireHttps" | "trustProxy">
): boolean => !requireHttps || (trustProxy && isForwardedHttps(headers))

const isForwardedHttps = (headers: ApiRequest["headers"]): boolean =>
  headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim().toLowerCase() === "https"

export const plainHttpError = new BadRequest({
  message: "Use HTTPS: a token or a secret address must not travel over plain HTTP."
})
