import base64
import hashlib
import hmac
import json
import time
import urllib.request


class ApiError(Exception):
    """A call that failed, with the error_code of the response."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def call(url, method, path, body=None, headers=None):
    """Calls a Latchkey server and returns `data` of the response."""
    content = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(url + path, data=content, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        envelope = json.load(response)
    if envelope["error_code"] != 0:
        raise ApiError(envelope["error_code"], envelope["error_msg"])
    return envelope["data"]


def is_signed(secret, headers, body, now):
    timestamp = headers["webhook-timestamp"]
    if not timestamp.isdigit() or abs(now - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret[len("whsec_") :])
    signed = f"{headers['webhook-id']}.{timestamp}.{body}".encode()
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(each, f"v1,{expected}") for each in headers["webhook-signature"].split(" "))


class Welcome:
    """Writes a welcome message to the guest of each new accepted reservation."""

    def __init__(self, url, token, secret):
        self.url, self.token, self.secret = url, token, secret

    def call(self, method, path, body=None, key=None):
        headers = {"Service-Access-Token": self.token}
        if key is not None:
            headers["Idempotency-Key"] = key
        return call(self.url, method, f"/v3{path}", body, headers)

    def receive(self, headers, body, now=None):
        """Handles a webhook and returns the HTTP status of the response."""
        if not is_signed(self.secret, headers, body, time.time() if now is None else now):
            return 401
        code = json.loads(body)["reservation_code"]
        for stay in self.call("GET", f"/reservations?reservation_code={code}&status=accepted")["reservations"]:
            message = f"Welcome, {stay['guest_name']}! We expect you on {stay['check_in_date']}."
            path = f"/conversations/{stay['conversation_id']}"
            self.call("POST", path, {"message": message}, key=f"welcome-{stay['stay_code']}")
        return 204
