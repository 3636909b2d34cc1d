"""A small extension of the Jupyter server, so that explorers need not wait for TCP.

A kernel's messages are short. By default TCP keeps a short one back until the browser
has confirmed the one before, for which it takes 40 milliseconds. A dragged explorer
would wait for that at every picture.
"""

from jupyter_server.services.kernels.connection.channels import (
    ZMQChannelsWebsocketConnection,
)


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The server's own connection between a page and its kernel, without that delay."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


def _jupyter_server_extension_points():
    return [{"module": "vbkit.press.server"}]


def _load_jupyter_server_extension(app):
    """Take the place of the server's own connections, and of no others."""
    settings = app.web_app.settings
    if settings["kernel_websocket_connection_class"] is ZMQChannelsWebsocketConnection:
        settings["kernel_websocket_connection_class"] = PromptConnection
