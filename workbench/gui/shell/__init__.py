"""What every room of the window is built on: context, navigation, actions, commands, docks, palette, banners."""
