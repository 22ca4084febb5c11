"""Checks signatures of webhooks by Standard Webhooks' own library: a JSON array of [secret, headers, body] on stdin.

Prints how many are valid, and how many are with a body that was changed.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def is_valid(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


posts = json.load(sys.stdin)
print(
    json.dumps(
        {
            "valid": sum(is_valid(*post) for post in posts),
            "changed": sum(is_valid(secret, headers, body + " ") for secret, headers, body in posts),
        }
    )
)
