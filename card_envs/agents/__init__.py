"""Players: whoever chooses actions from observations and masks."""

from card_envs.agents.base import Agent, Identified, LotsAgent, Policy, SearchAgent
from card_envs.agents.loading import agent_names, load_agent

__all__ = ["Agent", "Identified", "LotsAgent", "Policy", "SearchAgent", "agent_names", "load_agent"]
