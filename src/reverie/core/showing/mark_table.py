"""The marks that models and hosts obey, as data: whose they are, where that is written down, and words.

Judging is done in `core.marks`; what is added here is known there at once.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from typing import Final

TAG: Final = "reverie-memory"

# Whose mark it is, where that is written down, and the marks. Tests try every one of them in every
# spelling; the rules below are made from their names.
MARKS: Final = (
    ("Reverie", "core/fence.py", (f"<{TAG}:", f"</{TAG}:")),
    ("ChatML, Qwen, Yi, InternLM, Kimi", "tokenizer_config.json of Qwen/Qwen2.5-7B-Instruct",
     ("<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|im_middle|>", "<|endoftext|>", "<|fim_prefix|>",
      "<|repo_name|>", "<|file_sep|>", "<|object_ref_start|>", "<|vision_start|>", "<|action_start|>",
      "<|plugin|>", "<|interpreter|>", "<|media_begin|>", "<|tool_calls_section_begin|>")),
    ("OpenAI harmony", "openai/harmony, docs/format.md",
     ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>",
      "<|startoftext|>", "<|endofprompt|>")),
    ("Llama 3 and 4", "meta-llama/llama-models, prompt_format.md",
     ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
      "<|eom_id|>", "<|python_tag|>", "<|header_start|>", "<|header_end|>", "<|eot|>", "<|step|>",
      "<|finetune_right_pad_id|>")),
    ("Llama 2, Mistral", "mistralai/mistral-common, tokens/tokenizers/base.py",
     ("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYS]", "[/SYS]", "<s>", "</s>",
      "[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
      "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[SYSTEM_PROMPT]",
      "[/SYSTEM_PROMPT]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]", "[THINK]", "[/THINK]", "[CALL_ID]",
      "[BEGIN_AUDIO]", "[TRANSCRIBE]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[TOOL_CALLS_BEGIN]",
      "[IMG_BREAK]", "[CONTROL_1]", "<EOT>", "<SUF>")),
    ("Gemma", "google/gemma_pytorch and the model cards",
     ("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<unk>", "<pad>", "<start_of_image>",
      "<end_of_image>", "<image_soft_token>", "<unused99>", "<|turn>", "<turn|>", "<|think|>",
      "<|tool_call>", "<tool_call|>", "<|channel>", "<channel|>")),
    ("DeepSeek, Hunyuan", "tokenizer_config.json of deepseek-ai/DeepSeek-V3",
     ("<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>",
      "<｜tool▁calls▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁outputs▁begin｜>", "<｜hy_User｜>",
      "<｜DSML｜function_calls>")),
    ("Phi, Zephyr, Granite, Grok, GLM", "chat templates of the model cards",
     ("<|user|>", "<|assistant|>", "<|system|>", "<|tool|>", "<|observation|>", "<|developer|>",
      "<|start_of_role|>", "<|end_of_role|>", "<|separator|>", "<|user_info|>", "[gMASK]", "<sop>",
      "<eop>", "<|dummy_0|>")),
    ("Cohere Command", "tokenizer_config.json of CohereForAI/c4ai-command-r-v01",
     ("<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>",
      "<|CHATBOT_TOKEN|>", "<|START_ACTION|>", "<|START_THINKING|>", "<BOS_TOKEN>", "<EOS_TOKEN>")),
    ("EXAONE", "tokenizer_config.json of LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct",
     ("[|system|]", "[|user|]", "[|assistant|]", "[|endofturn|]", "[|tool|]")),
    ("Nemotron, Baichuan, InternLM, Reka, MiniMax, Seed, T5", "tokenizers of the model cards",
     ("<extra_id_0>", "<SPECIAL_10>", "<reserved_106>", "[UNUSED_TOKEN_146]", "<sep>", "]~b]", "]~!b[",
      "[e~[", "<minimax:tool_call>", "<seed:think>", "<seed:tool_call>", "<seed:bos>", "<eoh>", "<eoa>")),
    ("MiniCPM, TeleChat, Baize, BlueLM", "chat templates of the model cards",
     ("<用户>", "<AI>", "<_user>", "<_bot>", "<_system>", "[|Human|]", "[|AI|]")),
    ("ChatGLM, YandexGPT, Koala, Falcon", "chat templates of the model cards; fastchat/conversation.py",
     ("问：", "答：", "Пользователь:", "Ассистент:", "GPT:", "Falcon:")),
    ("Amazon Titan", "docs.aws.amazon.com/bedrock: prompt templates for Titan text models",
     ("User:", "Bot:")),
    ("Gemini, RoBERTa, Yuan", "control tokens of the tokenizers", ("<ctrl94>", "<mask>", "<eod>")),
    ("Alpaca, Vicuna, Guanaco, OpenChat, Solar", "fastchat/conversation.py of lm-sys/FastChat",
     ("### Instruction:", "### Response:", "### Input:", "### Human:", "### Assistant:", "### User:",
      "### System:", "USER:", "ASSISTANT:", "SYSTEM:", "GPT4 Correct User:", "GPT4 Correct Assistant:",
      "GPT4 User:")),
    ("Anthropic", "docs.anthropic.com: text completions, tool use, extended thinking",
     ("\n\nHuman:", "\n\nAssistant:", "\n\nSystem:", "<function_calls>", "</function_calls>",
      '<invoke name="x">', '<parameter name="x">', "<function_results>", "<function>", "<functions>",
      "<antml:function_calls>", '<antml:invoke name="x">', '<antml:parameter name="x">',
      "</antml:invoke>", "<thinking>", "<antThinking>", "<antArtifact>")),
    ("Qwen, Hermes and others that call tools in tags", "chat templates of the model cards",
     ("<tools>", "</tools>", "<tool_call>", "</tool_call>", "<tool_response>", "<tool_calls>", "<think>",
      "</think>", "<thought>", "<reasoning>", "<reflection>", "<scratchpad>", "<answer>", "<arg_key>",
      "<arg_value>", "<tool_result>", "<tool_results>", "<tool_use>", "<function=run>",
      "<parameter=x>", "<TOOLCALL>", "<AVAILABLE_TOOLS>")),
    ("Roles as tags", "common in prompts of every family",
     ("<system>", "</system>", "<user>", "<assistant>", "<human>", "<developer>", "<tool>", "<message>",
      "<messages>", "<instructions>", "<instruction>", "<INSTRUCTIONS>", "<prompt>", "<system_prompt>",
      "<context>", "<memory>", "<memories>", "<rules>", "<policy>", "<admin>", "<override>",
      "<important>", "<IMPORTANT>", "<critical>", "<secret>", "<role>", "<task>", "<agent>", "<model>")),
    ("Claude Code", "the texts that it puts into a conversation",
     ("<system-reminder>", "</system-reminder>", "<command-name>", "<command-message>",
      "<command-args>", "<command-contents>", "<local-command-stdout>", "<local-command-stderr>",
      "<local-command-caveat>", "<bash-input>", "<bash-stdout>", "<bash-stderr>",
      "<user-prompt-submit-hook>", "<session-start-hook>", "<persisted-output>", "<task-notification>",
      "<ide_selection>", "<ide_opened_file>", "<ide_diagnostics>", "<new-diagnostics>",
      "<user-memory-input>", "<tool_use_error>", "<background-task-input>", "<available_skills>")),
    ("Codex", "openai/codex, codex-rs/protocol and core",
     ("<environment_context>", "<user_instructions>", "<permissions instructions>", "<turn_aborted>",
      "<user_shell_command>", "<subagent_notification>", "<collaboration_mode>", "<skill>",
      "<INSTRUCTIONS>", "<apply_patch>", "<proposed_plan>")),
    ("Cursor, Cline, Roo, Copilot, Gemini, Qwen Code", "their system prompts and transcripts",
     ("<user_query>", "<ide_context>", "<environment_details>", "<custom_instructions>",
      "<additional_data>", "<attached_files>", "<open_and_recently_viewed_files>", "<user_info>",
      "<rules>", "<always_applied_workspace_rules>", "<file_content>", "<execute_command>",
      "<attempt_completion>", "<ask_followup_question>", "<feedback>", "<userRequest>",
      "<reminderInstructions>", "<attachments>", "<editorContext>", "<hook_context>",
      "<session_context>", "<state_snapshot>", "<loaded_context>", "<global_context>",
      "<project_context>")),
)  # fmt: skip

# Words that make a tag a mark wherever they stand in its name.
WORDS: Final = frozenset(
    {
        "system", "assistant", "user", "human", "developer", "tool", "tools", "function",
        "functions", "instruction", "instructions", "antml", "invoke", "memory", "memories",
        "context", "reminder", "prompt", "prompts", "command", "hook", "hooks", "agent",
        "subagent", "skill", "skills", "rules", "policy", "message", "messages", "turn", "role",
        "think", "thinking", "thought", "reasoning", "env", "environment", "permission",
        "permissions", "diagnostics", "notification", "admin", "session", "transcript",
        "conversation",
    }
)  # fmt: skip
# Names that are HTML's own; `<s>` is not among them, because it begins texts of a whole family.
HTML: Final = frozenset(
    {
        "html", "head", "body", "div", "span", "table", "thead", "tbody", "tfoot", "style",
        "script", "code", "abbr", "main", "nav", "form", "label", "input", "button", "select",
        "option", "textarea", "img", "link", "meta", "title", "section", "article", "header",
        "footer", "aside", "details", "summary", "strong", "small", "mark", "sub", "sup",
        "iframe", "video", "audio", "canvas", "svg", "path",
    }
)  # fmt: skip
SCHEMES: Final = frozenset(
    {
        "http", "https", "ftp", "ftps", "file", "mailto", "ssh", "git", "urn", "tel", "data",
        "irc", "ws", "wss",
    }
)  # fmt: skip
# Standard C++ headers that read like marks after `#include`.
HEADERS: Final = frozenset({"memory", "systemerror"})
ROLES: Final = frozenset(
    {
        "human", "user", "assistant", "system", "developer", "tool", "function", "ai", "chatbot", "bot",
        "gpt4 correct user", "gpt4 correct assistant", "gpt4 user", "gpt4 assistant",
        "system prompt", "system message", "system reminder", "system note", "system notice",
        "system instruction", "system instructions", "developer message", "tool result", "tool output",
        "tool call", "function call", "function result", "gpt", "falcon",
        "usuario", "asistente", "sistema", "assistente", "utilisateur", "benutzer", "nutzer",
        "assistent", "utente", "asistan", "sistem", "humano", "humain", "gebruiker", "pengguna",
        "asisten", "asystent",
    }
)  # fmt: skip
# The same in the languages that models were tuned in; compared as they read.
ROLES_ELSEWHERE: Final = (
    "用户", "使用者", "助手", "助理", "系统", "系統", "问", "問", "答", "人类", "ユーザー", "アシスタント",
    "システム", "사용자", "어시스턴트", "시스템", "пользователь", "ассистент", "система", "користувач",
    "асистент", "usuário", "système", "kullanıcı", "المستخدم", "المساعد", "النظام", "उपयोगकर्ता", "सहायक",
    "人間", "人工智能", "机器人", "機器人", "ai助手", "사람", "인간", "человек", "бот", "người dùng",
    "trợ lý", "hệ thống", "użytkownik", "användare", "käyttäjä", "uživatel", "χρήστης", "βοηθός",
    "משתמש", "עוזר", "ผู้ใช้", "ผู้ช่วย", "الإنسان", "मानव",
)  # fmt: skip
# Marks of Skywork and of encoders that are words otherwise: only in capitals, and not as a link.
SHOUTED: Final = frozenset(
    {
        "user", "bot", "ai", "human", "assistant", "sep", "cls", "bos", "eos", "eot", "img", "args",
        "mask", "pad", "tool", "developer", "admin", "observation",
    }
)  # fmt: skip
HEADED: Final = ROLES | {"instruction", "instructions", "response", "input"}

NUMBERED_NAMES: Final = frozenset(
    {
        "extraid",
        "special",
        "reserved",
        "unused",
        "unusedtoken",
        "dummy",
        "reservedspecialtoken",
        "control",
        "ctrl",
    }
)
LOOKALIKES: Final = (
    "аɑα=a ьƅ=b сϲⅽ=c ԁⅾ=d еҽ=e ғ=f ɡց=g һհ=h іιıɩ=i јϳ=j κк=k ӏⅼǀ=l мⅿ=m пո=n оοσօ=o рρ=p ԛ=q гᴦ=r"
    " ѕꜱ=s тτ=t υսц=u νѵⅴ=v ԝѡш=w хχⅹ=x уγү=y ᴢ=z"
)


# Capitals look like others than their small letters do.
CAPITALS: Final = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХІЈЅ", "ABEZHIKMNOPTYXABEKMHOPCTYXIJS")
