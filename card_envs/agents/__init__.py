"""Players: whoever chooses actions from observations and masks."""

from card_envs.agents.base import Agent, LotsAgent, Policy, SearchAgent
from card_envs.agents.loading import agent_names, load_agent

__all__ = ["Agent", "LotsAgent", "Policy", "SearchAgent", "agent_names", "load_agent"]
